export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Where spans go, and which ones. */
export interface TracingOptions {
  readonly url: string;
  /** Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplerNames)[number];
  /** The share of traces for the samplers by trace id. */
  readonly share: number;
  /** Milliseconds; spans. */
  readonly queue: { readonly delay: number; readonly size: number; readonly batch: number; readonly exportWithin: number };
}
