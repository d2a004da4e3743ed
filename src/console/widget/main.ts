// The reporting widget: a script tag in any page, `<script src="https://host/widget.js" crossorigin
// data-token="…" data-project="…"></script>`, gives it a button with which problems are reported.
import { showWidget } from './form.ts';
import { record } from './record.ts';
import { createSender } from './send.ts';

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const { token = '', project = '', position = '' } = script.dataset;
  // Before requests are recorded: its own are not among them.
  const sender = createSender(new URL('api/v1/', script.src).href, token, project);
  const options = { sender, recorded: record(), project, position };
  if (document.body) showWidget(options);
  else addEventListener('DOMContentLoaded', () => showWidget(options));
}
