/** W3C trace context: `00-<32 hex trace>-<16 hex span>-<flags>`. A trace follows a request through all systems. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceparent: string;
}

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const zeroTrace = "0".repeat(32);
const zeroSpan = "0".repeat(16);

const hex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");

const make = (traceId: string, flags: string): Trace => {
  const spanId = hex(8);
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};

/** Continues a trace in a new span. Begins a new trace if there is none or it is malformed. */
export function continueTrace(traceparent: string | null | undefined): Trace {
  const match = readable(traceparent);
  return match ? make(match[1]!, match[3]!) : make(hex(16), "01");
}

/** A new trace of which no span is recorded: for calls that repeat in the background. */
export const unsampledTrace = (): Trace => make(hex(16), "00");

/** Whether the spans of a trace are recorded, by its flags. */
export const isSampled = (traceparent: string): boolean => (Number.parseInt(traceparent.slice(-1), 16) & 1) === 1;

export const isReadableTrace = (traceparent: string | null | undefined): boolean => readable(traceparent) !== undefined;

function readable(traceparent: string | null | undefined): RegExpExecArray | undefined {
  const match = traceparent ? pattern.exec(traceparent) : null;
  return match && match[1] !== zeroTrace && match[2] !== zeroSpan ? match : undefined;
}

export const traceIdOf = (traceparent: string): string => traceparent.split("-")[1] ?? "";
