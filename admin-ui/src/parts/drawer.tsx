import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { Icon } from "./icons.tsx";

export interface DrawerProps {
  readonly title: string;
  readonly head: ReactNode;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** Details in a drawer over their list. It has its own address; closing it returns to the address of the list. */
export function Drawer({ title, head, close, children }: DrawerProps) {
  // The drawer itself gets the focus, so that its title is read first and no button looks selected.
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open onOpenChange={open => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-veil" />
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          className="drawer fixed inset-y-0 right-0 z-40 flex w-full flex-col border-l bg-panel shadow-drawer outline-none md:w-[44rem]"
        >
          <header className="flex items-start gap-3 border-b px-5 py-3">
            <div className="min-w-0 flex-1">
              <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
              {head}
            </div>
            <Dialog.Close className="button" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </header>
          <section
            className="min-h-0 flex-1 overflow-y-auto px-5 py-4 -outline-offset-2"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
            tabIndex={0}
            aria-label={`${title}, details`}
          >
            {children}
          </section>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
