// Invisible and direction-changing characters are written as code points.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const codeOf = (character: string) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
const oneLine = (text: string) => text.replace(/\s+/g, " ").replace(unseen, codeOf);

/** Escapes external text for Markdown: one line, without markup, links or HTML. */
export const plain = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_~[\]<>&|]/g, "\\$&")
    .replaceAll("://", ":\\//");

/** External text as inline code. The fence is longer than any run of backticks in it. */
export function code(text: string): string {
  const inner = oneLine(text);
  const longest = Math.max(0, ...(inner.match(/`+/g) ?? []).map(run => run.length));
  const fence = "`".repeat(longest + 1);
  const padding = longest > 0 || /^ | $/.test(inner) ? " " : "";
  return `${fence}${padding}${inner}${padding}${fence}`;
}
