/** A line of a hex dump: offset, sixteen bytes and their printable text. */
export interface HexLine {
  readonly offset: string;
  readonly bytes: string;
  readonly text: string;
}

const perLine = 16;
const isPrintable = (code: number) => code >= 0x20 && code < 0x7f;

/** A hex dump of a hex string, limited to `most` lines. */
export function dump(hex: string, most = 256): HexLine[] {
  const lines = Math.min(Math.ceil(hex.length / 2 / perLine), most);
  return Array.from({ length: lines }, (_, line) => {
    const codes = (hex.slice(line * perLine * 2, (line + 1) * perLine * 2).match(/../g) ?? []).map(pair => Number.parseInt(pair, 16));
    const half = (from: number) =>
      codes
        .slice(from, from + 8)
        .map(code => code.toString(16).padStart(2, "0"))
        .join(" ");
    return {
      offset: (line * perLine).toString(16).padStart(6, "0"),
      bytes: `${half(0).padEnd(23)}  ${half(8).padEnd(23)}`,
      text: codes.map(code => (isPrintable(code) ? String.fromCharCode(code) : "·")).join(""),
    };
  });
}
