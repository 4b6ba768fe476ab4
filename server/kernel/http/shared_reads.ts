interface Told {
  readonly answer: Promise<unknown>;
  readonly freshUntil: number;
  isUnderWay: boolean;
}

export type Share = <Question extends unknown[], Answer>(
  ask: (...question: Question) => Promise<Answer>,
) => (...question: Question) => Promise<Answer>;

/**
 * The same question, asked again within this time or while it is being answered, gets the same answer, whoever asks. Give what depends on
 * nothing but the question, and make afterwards of the answer what depends on who asks: it belongs to all of them, and is frozen. A failure is
 * not kept, nor is more than `most` answers.
 */
export function sharedReads(milliseconds: number, most = 100) {
  const known = new Map<string, Told>();
  let kinds = 0;
  const isFresh = ({ isUnderWay, freshUntil }: Told) => isUnderWay || performance.now() < freshUntil;

  function tell(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    // The longest known come first.
    for (const [old, told] of known) if (!isFresh(told) || known.size >= most) known.delete(old);
    const told: Told = { answer: ask().then(frozen), freshUntil: performance.now() + milliseconds, isUnderWay: true };
    known.set(key, told);
    told.answer.then(
      () => {
        told.isUnderWay = false;
      },
      () => {
        if (known.get(key) === told) known.delete(key);
      },
    );
    return told.answer;
  }

  const share: Share = <Question extends unknown[], Answer>(ask: (...question: Question) => Promise<Answer>) => {
    const kind = kinds++;
    return (...question: Question) => {
      const key = `${kind} ${JSON.stringify(question)}`;
      const told = known.get(key);
      return (told && isFresh(told) ? told.answer : tell(key, () => ask(...question))) as Promise<Answer>;
    };
  };

  return {
    share,
    /** Nobody who asks from now on hears what was asked before, be it still under way. */
    forget: () => known.clear(),
    size: () => known.size,
  };
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
