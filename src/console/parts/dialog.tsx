// What lies over the page: the palette, the keys, a question before something is lost.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  label: string;
  class?: string;
  close(): void;
  children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it and gives it back. */
export function Dialog({ label, class: name = '', close, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, by `cancel`
    <dialog
      ref={element}
      class={name}
      aria-label={label}
      onCancel={close}
      onClick={(event) => event.target === element.current && close()}
    >
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  /** What will happen, with its number: `Revoke the token ci`. */
  title: string;
  action: string;
  busy?: boolean;
  run(): void;
  close(): void;
  children?: ComponentChildren;
}

/** Asks once before something is deleted or done to many. */
export function Confirm({ title, action, busy = false, run, close, children }: ConfirmProps) {
  return (
    <Dialog label={title} class="confirm" close={close}>
      <h2>{title}</h2>
      {children}
      <div class="line">
        <button type="button" class="button primary" disabled={busy} onClick={run}>
          {action}
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
