/**
 * Asks once at a time, and at most once in this time, however many want to know; those who come meanwhile hear the same answer. A failure
 * is not kept.
 */
export function sharedAnswer<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let isUnderWay = false;
  let freshUntil = 0;
  return () => {
    if (answer && (isUnderWay || performance.now() < freshUntil)) return answer;
    answer = ask();
    isUnderWay = true;
    freshUntil = performance.now() + milliseconds;
    answer.then(
      () => {
        isUnderWay = false;
      },
      () => {
        isUnderWay = false;
        answer = undefined;
      },
    );
    return answer;
  };
}
