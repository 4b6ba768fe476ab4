/** What of the settings says who we are at NATS. A setting that could not be read is undefined. */
export interface NatsProofs {
  readonly natsUrl: string | undefined;
}

/** Whether every server of the list is named with a user or a token: `nats://user:password@host`, `nats://token@host`. */
const namesUser = (urls: string) => urls.split(",").every(url => /^([a-z]+:\/\/)?[^/@]+@/i.test(url.trim()));

/** NATS without credentials: whoever reaches it reads and writes every event. */
export function natsProblems({ natsUrl }: NatsProofs): string[] {
  if (natsUrl === undefined) return [];
  const proofs = [namesUser(natsUrl)];
  return proofs.some(Boolean)
    ? []
    : ["NATS has no credentials with KENRI_ENV=production: write them in NATS_URL (nats://user:password@host or nats://token@host)"];
}
