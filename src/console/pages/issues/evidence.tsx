// The files of an issue. Only pictures are shown; what may hold script (SVG, HTML) is downloaded.
import { useState } from 'preact/hooks';
import { bytes } from '../../core/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { Card } from '../../parts/layout.tsx';
import type { Issue } from './answers.ts';

type Attachment = Issue['attachments'][number];

interface EvidenceProps {
  attachments: Attachment[];
  /** Asks for fresh links. */
  reload(): void;
}

const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

export function Evidence({ attachments, reload }: EvidenceProps) {
  const pictures = attachments.filter(({ mediaType }) => PICTURE.test(mediaType));
  if (attachments.length === 0) return null;
  return (
    <>
      {pictures.map((one) => (
        <Picture key={one.id} picture={one} reload={reload} />
      ))}
      <Card title="Files">
        {attachments.map((one) => (
          <Download key={one.id} file={one} reload={reload} />
        ))}
      </Card>
    </>
  );
}

/** Links last 15 minutes, so one that is refused is asked for anew, once. */
function Picture({ picture, reload }: { picture: Attachment; reload(): void }) {
  const { url, name, note } = picture;
  const [refused, setRefused] = useState<string[]>([]);
  const [attempt, setAttempt] = useState(0);
  if (refused.length > 1) return <p class="alert suspect">The picture {name} cannot be read.</p>;
  return (
    <a class="picture" href={url} target="_blank" rel="noreferrer noopener">
      <img
        key={`${url} ${attempt}`}
        src={url}
        alt={note ?? `Picture of the issue: ${name}`}
        loading="lazy"
        onError={() => {
          setRefused([...refused, url]);
          setAttempt(attempt + 1);
          reload();
        }}
      />
    </a>
  );
}

function Download({ file, reload }: { file: Attachment; reload(): void }) {
  const { url, name, kind, mediaType, bytes: size } = file;
  const [isOld, setIsOld] = useState(false);
  return (
    <a
      class="row"
      href={url}
      download={name}
      onClick={(event) => {
        const expires = Number(new URL(url, location.origin).searchParams.get('expires'));
        setIsOld(expires * 1000 < Date.now());
        if (expires * 1000 >= Date.now()) return;
        event.preventDefault();
        reload();
      }}
    >
      <Icon name="download" />
      <span class="grow cut">{name}</span>
      <span class="faint small">
        {isOld ? 'the link was renewed: once more' : `${kind}, ${mediaType}, ${bytes(size)}`}
      </span>
    </a>
  );
}
