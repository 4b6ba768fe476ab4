export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(what: string, milliseconds: number) {
    super(`${what} did not answer within ${milliseconds} ms`);
  }
}

/** For an answer that is held back on purpose. */
export const pause = (milliseconds: number): Promise<void> => Bun.sleep(milliseconds);
// A timer is this late when the process itself stood still, and not its counterpart; it is given that time back, up to the second number.
const [late, longest] = [20, 250];

/** Waits for a promise, but not longer than this; what it does after that is nobody's business any more. */
export function withTimeout<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const due = performance.now() + milliseconds;
    const giveUp = () => reject(new DeadlineError(what, milliseconds));
    let timer = setTimeout(() => {
      const behind = performance.now() - due;
      // The answer may be here already and only not be read.
      if (behind < late) giveUp();
      else timer = setTimeout(giveUp, Math.min(behind, longest));
    }, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Calls after this time, unless that is called off by what it returns. */
export function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
