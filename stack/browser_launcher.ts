import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Launcher {
  /** The folder of `chromium.sh`. */
  folder: string;
  program: string;
  /** As in LD_LIBRARY_PATH. */
  libraries: string;
  /** A folder with at least one font, for systems without fonts. */
  fonts: string;
}

/** A script that starts an unpacked browser with its own libraries and fonts. Callers need only its path. */
export function writeLauncher({ folder, program, libraries, fonts }: Launcher): void {
  const fontConfig = join(folder, "fonts.conf");
  const cache = join(folder, "font-cache");
  writeFileSync(
    fontConfig,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${Bun.escapeHTML(fonts)}</dir>
  <cachedir>${Bun.escapeHTML(cache)}</cachedir>
</fontconfig>
`,
  );
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [
    "#!/bin/sh",
    `export LD_LIBRARY_PATH=${quoted(libraries)} FONTCONFIG_FILE=${quoted(fontConfig)}`,
    `exec ${quoted(program)} "$@"`,
    "",
  ];
  writeFileSync(join(folder, "chromium.sh"), lines.join("\n"), { mode: 0o755 });
}
