// What cannot be seen, or turns the text around it, is written by its code point.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const codeOf = (character: string) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
const oneLine = (text: string) => text.replace(/\s+/g, " ").replace(unseen, codeOf);

/** Text from outside as Markdown shows it: on one line, and nothing in it is markup, a link or HTML. */
export const plain = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_~[\]<>&|]/g, "\\$&")
    .replaceAll("://", ":\\//");

/** Text from outside as code: its fence is longer than any run of backticks in it. */
export function code(text: string): string {
  const inner = oneLine(text);
  const longest = Math.max(0, ...(inner.match(/`+/g) ?? []).map(run => run.length));
  const fence = "`".repeat(longest + 1);
  const padding = longest > 0 || /^ | $/.test(inner) ? " " : "";
  return `${fence}${padding}${inner}${padding}${fence}`;
}
