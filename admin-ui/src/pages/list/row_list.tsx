import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { kindOf } from "../../systems.ts";
import { ListPage } from "./list_page.tsx";

/** The list stays in place while a drawer with its own address is open over it. */
export function RowList() {
  const { kind: name } = useParams({ from: "/$kind" });
  const search = useSearch({ from: "/$kind" });
  const { id } = useParams({ strict: false });
  const navigate = useNavigate();
  const kind = kindOf(name);
  return (
    <>
      <ListPage
        key={name}
        kind={kind}
        search={search}
        openId={id}
        show={shown => void navigate({ to: "/$kind", params: { kind: name }, search: shown })}
        open={opened => void navigate({ to: "/$kind/$id", params: { kind: name, id: opened }, search })}
      />
      <Outlet />
    </>
  );
}
