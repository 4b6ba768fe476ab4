/**
 * Characters that ids and names must not contain. Ids appear in URLs, logs and consoles, and are compared byte by byte. Invisible characters,
 * characters that change the text direction and characters that a URL parser changes would make two ids look the same, or an id unreachable.
 */
// The two variation selectors that choose between emoji and text are visible.
const invisible = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;
const dots = new Set([".", ".."]);

export const nameRule =
  "without control characters, format and other invisible characters such as zero-width and bidirectional ones, line separators or lone surrogates, without white space at either end, in Unicode NFC";
export const idRule = `${nameRule}, and no '.' or '..' alone between slashes, also not as %2e`;

const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
const placeIn = (value: string, index: number) => [...value.slice(0, index)].length + 1;

/** Why a text is not valid as a name, with the position in characters from 1; undefined if it is valid. Never repeats the text. */
export function nameProblem(value: string): string | undefined {
  const found = invisible.exec(value);
  if (found)
    return `contains ${codeOf(found[0])} at character ${placeIn(value, found.index)}: control characters, format and other invisible characters, line separators and lone surrogates are not allowed`;
  const start = value.length - value.trimStart().length;
  const end = value.trimEnd().length;
  if (start > 0) return `begins with white space (${codeOf(value)}); remove it`;
  if (end < value.length) return `ends with white space (${codeOf(value.slice(end))} at character ${placeIn(value, end)}); remove it`;
  const composed = value.normalize("NFC");
  if (composed !== value) return `is not in Unicode NFC from character ${firstDifference(value, composed)} on; normalize it to NFC`;
  return undefined;
}

/** Why a text is not valid as an id; undefined if it is valid. */
export function idProblem(value: string): string | undefined {
  return nameProblem(value) ?? pathProblem(value);
}

/** A URL parser resolves `.` and `..`, and reads `%2e` as a dot and a backslash as a slash. */
function pathProblem(value: string): string | undefined {
  let place = 0;
  for (const segment of value.split(/[/\\]/)) {
    if (dots.has(segment.replace(/%2e/gi, ".")))
      return `has a path segment '.' or '..' at character ${placeIn(value, place)}: a URL with it would lead elsewhere`;
    place += segment.length + 1;
  }
  return undefined;
}

function firstDifference(value: string, other: string): number {
  const [one, two] = [[...value], [...other]];
  return one.findIndex((character, index) => character !== two[index]) + 1 || two.length;
}

const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]/;

/** A name from elsewhere, without the characters that are not allowed here. */
export function cleanName(value: string, length: number): string {
  const seen = value.replace(new RegExp(invisible.source, "gu"), character => (breaks.test(character) ? " " : ""));
  return [...seen.normalize("NFC").trim()].slice(0, length).join("").trim();
}
