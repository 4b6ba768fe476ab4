import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";
import { useReturnFocus } from "./return_focus.ts";

export interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** A click outside does not close it, so that typed text is not lost. */
  readonly isForm?: boolean;
  readonly children: ReactNode;
}

/** A modal dialog in the centre of the screen. */
export function Dialog({ title, close, isForm = false, children }: DialogProps) {
  const returnFocus = useReturnFocus();
  return (
    <BaseDialog.Root open disablePointerDismissal={isForm} onOpenChange={open => !open && close()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-50 bg-veil" />
        <BaseDialog.Popup
          finalFocus={returnFocus}
          className="panel fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[min(38rem,calc(100vw-1.5rem))] -translate-x-1/2 flex-col overflow-hidden shadow-drawer outline-none"
        >
          <header className="flex items-center justify-between gap-3 border-b px-5 py-3">
            <BaseDialog.Title className="text-base font-semibold">{title}</BaseDialog.Title>
            <BaseDialog.Close className="button" aria-label="Close">
              <Icon name="close" />
            </BaseDialog.Close>
          </header>
          <div className="min-h-0 overflow-y-auto px-5 py-4">{children}</div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
