import { useQuery } from "@tanstack/react-query";
import * as queries from "../api/queries.ts";
import { shortId } from "./format.ts";
import { Id } from "./id.tsx";

const person = "user:";
export const isPerson = (id: string): boolean => id.startsWith(person);

/** The actor: a person by name or short id, or the name of an API key. A click copies the id. */
export function Actor({ id }: { id: string }) {
  const userId = id.slice(person.length);
  const { data: me } = useQuery(queries.me);
  const { data: user } = useQuery({ ...queries.user(userId), enabled: isPerson(id), retry: false });
  if (!isPerson(id)) return <Id id={id} name={id} />;
  const name = user?.display_name ?? user?.email ?? `user ${shortId(userId)}`;
  return <Id id={id} name={userId === me?.user_id ? `${name} (you)` : name} />;
}
