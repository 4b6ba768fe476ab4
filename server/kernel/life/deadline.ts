export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(what: string, milliseconds: number) {
    super(`${what} did not answer within ${milliseconds} ms`);
  }
}

/** For a response that is delayed on purpose. */
export const pause = (milliseconds: number): Promise<void> => Bun.sleep(milliseconds);
// A timer that is this late means that this process itself was stopped, not its counterpart. The wait is extended by that time, up to the second number.
const [late, longest] = [20, 250];

/** Waits for a promise, but not longer than this. A later result is ignored. */
export function withTimeout<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const due = performance.now() + milliseconds;
    const giveUp = () => reject(new DeadlineError(what, milliseconds));
    let timer = setTimeout(() => {
      const behind = performance.now() - due;
      // The result may have arrived without being read yet.
      if (behind < late) giveUp();
      else timer = setTimeout(giveUp, Math.min(behind, longest));
    }, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Calls after this time. The returned function cancels it. */
export function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
