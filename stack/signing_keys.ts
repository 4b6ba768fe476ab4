import { newPassword, readSecret, writeSecret } from "./secret_file.ts";

/** The keys that the systems of this stack sign their messages with: made once, then the same at every start. */
export function ensureSigningKeys(file: string): string {
  const kept = readSecret(file);
  if (kept) return kept;
  const made = `dev:${newPassword()}`;
  writeSecret(file, made);
  return made;
}
