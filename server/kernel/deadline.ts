export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(what: string, milliseconds: number) {
    super(`${what} did not answer within ${milliseconds} ms`);
  }
}

/** For an answer that is held back on purpose. */
export const pause = (milliseconds: number): Promise<void> => Bun.sleep(milliseconds);

/** Waits for a promise, but not longer than this; what it does after that is nobody's business any more. */
export function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineError(what, milliseconds)), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Calls after this time, unless that is called off by what it returns. */
export function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}
