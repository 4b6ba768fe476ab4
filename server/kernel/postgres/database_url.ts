import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { isLoopback } from "../config/loopback.ts";

/** A URL as the driver takes it, and how it is to use TLS. */
export interface DatabaseTarget {
  readonly url: string;
  readonly ssl?: false | "prefer" | ConnectionOptions;
}

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type Mode = (typeof modes)[number];
const tlsParameters = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/**
 * TLS as every client of PostgreSQL writes it: `?sslmode=verify-full&sslrootcert=/file.pem`, and `sslcert` with `sslkey` for a certificate of our
 * own. The driver knows none but the first of them, and would send the others to the server as settings.
 */
export function databaseTarget(given: string): DatabaseTarget {
  const url = new URL(given);
  const [mode, rootCert, cert, key] = tlsParameters.map(name => url.searchParams.get(name) ?? undefined);
  if (mode === undefined) return { url: given };
  for (const name of tlsParameters) url.searchParams.delete(name);
  return { url: url.href, ssl: tlsOf(mode as Mode, rootCert, cert, key) };
}

function tlsOf(mode: Mode, rootCert: string | undefined, cert: string | undefined, key: string | undefined): DatabaseTarget["ssl"] {
  if (mode === "disable") return false;
  if (mode === "allow" || mode === "prefer") return "prefer";
  const read = (name: string, file: string | undefined) => (file === undefined ? {} : { [name]: readFileSync(file, "utf8") });
  return {
    ...read("ca", rootCert === "system" ? undefined : rootCert),
    ...read("cert", cert),
    ...read("key", key),
    // As libpq has it: `require` asks for an authority only if one is named, and only verify-full asks for the host's name.
    ...(mode === "require" && rootCert === undefined ? { rejectUnauthorized: false } : {}),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** What is wrong with the URL of a database. */
export function databaseUrlProblems(variable: string, given: string | undefined, isProduction: boolean): string[] {
  const url = given === undefined ? null : URL.parse(given);
  if (url === null) return [];
  const [mode, rootCert, cert, key] = tlsParameters.map(name => url.searchParams.get(name) ?? undefined);
  const files = { sslrootcert: rootCert === "system" ? undefined : rootCert, sslcert: cert, sslkey: key };
  return [
    ...(mode === undefined || modes.includes(mode as Mode) ? [] : [`${variable}: sslmode must be one of ${modes.join(", ")}`]),
    ...(mode === undefined && (rootCert ?? cert ?? key) !== undefined
      ? [`${variable} names a certificate but no sslmode: write sslmode=verify-full`]
      : []),
    ...((cert === undefined) === (key === undefined) ? [] : [`${variable}: sslcert and sslkey belong together: name both`]),
    ...Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : unreadable(variable, name, file))),
    ...(isProduction && !url.password && cert === undefined && !isLoopback(url.hostname)
      ? [`${variable} has no password with KENRI_ENV=production: write it in the URL, or name a client certificate with sslcert and sslkey`]
      : []),
  ];
}

function unreadable(variable: string, name: string, file: string): string[] {
  try {
    readFileSync(file);
    return [];
  } catch (error) {
    return [`${variable}: the file of ${name}, ${JSON.stringify(file)}, cannot be read (${(error as { code?: string }).code})`];
  }
}
