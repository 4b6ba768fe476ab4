import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { notifications, outbox } from "../kinds.ts";
import { ListPage } from "./list_page.tsx";

/** The list stays where it is while a drawer with its own address is open over it. */
export function OutboxList() {
  const filter = useSearch({ from: "/outbox" });
  const { id } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <>
      <ListPage
        kind={outbox}
        filter={filter}
        openId={id}
        narrow={search => void navigate({ to: "/outbox", search })}
        open={opened => void navigate({ to: "/outbox/$id", params: { id: opened }, search: filter })}
      />
      <Outlet />
    </>
  );
}

export function NotificationList() {
  const filter = useSearch({ from: "/notifications" });
  const { id } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <>
      <ListPage
        kind={notifications}
        filter={filter}
        openId={id}
        narrow={search => void navigate({ to: "/notifications", search })}
        open={opened => void navigate({ to: "/notifications/$id", params: { id: opened }, search: filter })}
      />
      <Outlet />
    </>
  );
}
