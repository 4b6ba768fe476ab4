/**
 * What may be written as an id or a name. Ids travel in URLs, logs and consoles, and are compared byte by byte: what cannot be seen, turns
 * other text around, or is changed by a URL parser would make two ids look like one, or one that nobody can ask for.
 */
// The two variation selectors that make an emoji of a sign, or not, can be seen.
const unseen = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;
const dots = new Set([".", ".."]);

export const nameRule =
  "without control characters, format and other invisible characters such as zero-width and bidirectional ones, line separators or lone surrogates, without white space at either end, in Unicode NFC";
export const idRule = `${nameRule}, and no '.' or '..' alone between slashes, also not as %2e`;

const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
const placeIn = (value: string, index: number) => [...value.slice(0, index)].length + 1;

/** Why a text cannot be written as a name; undefined if it can. Says where, counted in characters from 1, and never repeats the text. */
export function nameProblem(value: string): string | undefined {
  const found = unseen.exec(value);
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

/** Why a text cannot be written as an id; undefined if it can. */
export function idProblem(value: string): string | undefined {
  return nameProblem(value) ?? pathProblem(value);
}

/** A URL parser resolves `.` and `..`, takes `%2e` for a dot, and a backslash for a slash. */
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

/** A name that somebody else keeps, as it may be written here: what may not is left out. */
export function cleanName(value: string, length: number): string {
  const seen = value.replace(new RegExp(unseen.source, "gu"), character => (breaks.test(character) ? " " : ""));
  return [...seen.normalize("NFC").trim()].slice(0, length).join("").trim();
}
