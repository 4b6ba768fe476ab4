/** Asks at most once in this time, however many want to know; those who come meanwhile hear the same answer. A failure is not kept. */
export function sharedAnswer<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let freshUntil = 0;
  return () => {
    if (answer && performance.now() < freshUntil) return answer;
    const asked = ask();
    answer = asked;
    freshUntil = performance.now() + milliseconds;
    asked.catch(() => {
      if (answer === asked) answer = undefined;
    });
    return asked;
  };
}
