import type { CallContext, Downstream } from "./downstream.ts";

/** What a profile is made of. Matchmaking's part comes with that system. */
export const parts = ["account", "entitlement", "matchmaking"] as const;
export type Part = (typeof parts)[number];

interface Account {
  readonly user_id: string;
  readonly display_name: string | null;
}

interface Entitlements {
  readonly user_id: string;
  readonly entitlements: readonly { readonly stock_keeping_unit: string; readonly status: string; readonly version: number }[];
  /** There are more, at /v1/users/{user_id}/entitlements. */
  readonly next_cursor?: string;
}

/** How a kind of client wants its parts. */
export interface Shape {
  account(account: Account): unknown;
  entitlement(entitlements: Entitlements): unknown;
}

export const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["web", { account: account => account, entitlement: entitlements => entitlements }],
  // A game shows a name and what the player has, on a small line.
  [
    "game",
    {
      account: ({ user_id, display_name }) => ({ user_id, display_name }),
      entitlement: ({ user_id, entitlements, next_cursor }) => ({
        user_id,
        entitlements: entitlements
          .filter(one => one.status === "ACTIVE")
          .map(({ stock_keeping_unit, version }) => ({ stock_keeping_unit, version })),
        ...(next_cursor === undefined ? {} : { next_cursor }),
      }),
    },
  ],
]);

/** Asks for the wanted parts side by side. If one cannot be had, the answer says which; half a profile would be taken for a whole one. */
export async function aggregate(services: Downstream, errand: CallContext, userId: string, wanted: readonly Part[], shape: Shape) {
  const id = encodeURIComponent(userId);
  const sources: Partial<Record<Part, () => Promise<unknown>>> = {
    account: async () => shape.account(await services.ask<Account>("account", `/users/${id}`, errand)),
    entitlement: async () => shape.entitlement(await services.ask<Entitlements>("entitlement", `/v1/users/${id}/entitlements`, errand)),
  };
  const found = await Promise.all(
    wanted.flatMap(part => {
      const source = sources[part];
      return source ? [source().then(value => [part, value] as const)] : [];
    }),
  );
  return Object.fromEntries(found);
}
