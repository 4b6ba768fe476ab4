import { expect } from "bun:test";

/** What is expected of a refusal. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The pointer of the first error of a bad body, path or query. */
  readonly pointer?: string;
}

/** Checks that a response is a problem of RFC 9457 in Kenri's form and reveals nothing internal. */
export function expectRefusal(
  answer: { status: number; headers: Headers; text: string },
  { status, code, pointer }: Refusal,
  secrets: readonly string[] = [],
): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("x-request-id")).toMatch(/\S/);
  const problem = JSON.parse(answer.text);
  expect(problem).toMatchObject({
    type: `urn:kenri:problem:${code.toLowerCase().replaceAll("_", "-")}`,
    title: expect.stringMatching(/\w/),
    status,
    detail: expect.stringMatching(/\w/),
    instance: expect.stringMatching(/^\//),
    code,
  });
  if (pointer !== undefined) expect(problem.errors).toContainEqual({ pointer, detail: expect.stringMatching(/\w/) });
  expect(answer.text).not.toMatch(/node_modules|\.ts:\d|at \w+ \(|select |insert |postgres/i);
  for (const secret of secrets) expect(answer.text).not.toContain(secret);
}
