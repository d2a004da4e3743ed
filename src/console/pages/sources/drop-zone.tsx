// Where a folder is dropped, or chosen by the browser's own dialog.
import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icons.tsx';
import { filesOfDrop, filesOfInput, type NamedFile } from './folder.ts';

export function DropZone({ choose }: { choose(files: NamedFile[]): void }) {
  const [isOver, setIsOver] = useState(false);
  const drag = (event: DragEvent, over: boolean) => {
    event.preventDefault();
    setIsOver(over);
  };
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    choose(filesOfInput(currentTarget.files ?? []));
    // So that the same folder may be chosen again after it was mended.
    currentTarget.value = '';
  };
  return (
    <section
      class={`card drop-zone ${isOver ? 'over' : ''}`}
      aria-label="Files to import"
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        if (event.dataTransfer) void filesOfDrop(event.dataTransfer).then(choose);
      }}
    >
      <Icon name="upload" />
      <p>
        Drop a folder or files here. They are compared with what is there first; nothing is stored
        until you say so.
      </p>
      <div class="line">
        <label class="button">
          Choose a folder
          <input type="file" class="hidden" ref={takeFolders} multiple onChange={take} />
        </label>
        <label class="button">
          Choose files
          <input type="file" class="hidden" multiple onChange={take} />
        </label>
      </div>
      <p class="small faint">
        The same from a terminal: <code>pqrs import docs</code>
      </p>
    </section>
  );
}

/** Preact's types do not know the attribute. */
function takeFolders(input: HTMLInputElement | null): void {
  if (input) input.webkitdirectory = true;
}
