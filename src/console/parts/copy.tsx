// A command or a request to type elsewhere, with a button that copies it.
import { useState } from 'preact/hooks';

export function Copyable({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="copyable">
      <pre class="code">{text}</pre>
      <button
        type="button"
        class="button compact"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
