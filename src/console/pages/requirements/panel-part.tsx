// A part of the panel, with its heading.
import type { ComponentChildren } from 'preact';

interface PartProps {
  title: string;
  count?: number;
  children: ComponentChildren;
}

export function Part({ title, count, children }: PartProps) {
  return (
    <section>
      <h3>
        {title}
        {count !== undefined && <span class="faint">{count}</span>}
      </h3>
      {children}
    </section>
  );
}
