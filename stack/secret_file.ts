import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** Made at the first start and kept for later starts. */
export function keptPassword(file: string): string {
  const known = readSecret(file);
  if (known !== undefined) return known;
  const made = newPassword();
  writeSecret(file, made);
  return made;
}

/** A folder that only its owner can access, whatever modes the servers give their files. */
export function privateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700); // also if an earlier start made it
}

/** Written to another file and renamed: never half a file, never readable by others. */
export function writeSecret(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, file);
}

export function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
