import { test as plain } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";

type Close = () => unknown;
type Work = (...given: unknown[]) => Promise<void>;

const opened = new AsyncLocalStorage<Close[]>();

/** Closes what this opened as soon as it ends. */
export const closing =
  (work: Work): Work =>
  async (...given) => {
    const open: Close[] = [];
    try {
      await opened.run(open, () => work(...given));
    } finally {
      for (const close of open.reverse()) await close();
    }
  };

/** Defines tests like `define`, with the same parameters. */
const closingBy = <Define>(define: Define): Define =>
  ((title: string, work: Work, ...options: unknown[]) =>
    (define as (...given: unknown[]) => unknown)(title, closing(work), ...options)) as Define;

interface Scope {
  each(rows: never): unknown;
}
const closingEach = <Of extends Scope>(scope: Of): Of["each"] => ((rows: never) => closingBy(scope.each(rows))) as Of["each"];

/** Tests that close what they opened as soon as they end: an idle system takes a fifth of a core from the tests that still run. */
export const test = Object.assign(closingBy(plain), {
  each: closingEach(plain),
  concurrent: Object.assign(closingBy(plain.concurrent), { each: closingEach(plain.concurrent) }),
});

/** Called at the end of the running test, the last one first. */
export function closeAtEnd(close: Close): void {
  const open = opened.getStore();
  if (!open) throw new Error("closeAtEnd() is for a running test of server/testing/closing.ts");
  open.push(close);
}
