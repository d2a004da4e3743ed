// The button and the dialog behind it. What somebody has written stays there until it is sent.
import { describeElement, type PickedElement, pickElement } from './element.ts';
import { clean, mask, pageAddress } from './mask.ts';
import { type Recorded, TAG } from './record.ts';
import { canCapture, capture, encode, read } from './screenshot.ts';
import type { Outcome, Sender } from './send.ts';
import { STYLE } from './style.ts';

const SEVERITIES = ['blocker', 'critical', 'major', 'minor', 'trivial'];
const POSITION = /^(top|bottom)-(left|right)$/;

interface Options {
  sender: Sender;
  recorded: Recorded;
  project: string;
  position: string;
}

/** Puts the button on the page. */
export function showWidget({ sender, recorded, project, position }: Options): void {
  let element: PickedElement | undefined;
  let picture: HTMLCanvasElement | undefined;
  let sending = false;

  const host = document.createElement(TAG);
  host.lang = 'en';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const title = h('input', { required: true, maxLength: 300 });
  const description = h('textarea', { rows: 4, maxLength: 20_000 });
  const severity = h(
    'select',
    {},
    ...SEVERITIES.map((name) => h('option', { textContent: name, selected: name === 'major' })),
  );
  const stories = h('input', { maxLength: 1000 });
  const file = h('input', { type: 'file', accept: 'image/*', hidden: true });
  const picked = h('p', {});
  const unpick = button('Leave the element out', () => setElement(undefined));
  const shown = h('div', {});
  const remove = button('Leave the screenshot out', () => setPicture(undefined));
  const sentAlong = h('pre', { tabIndex: 0, ariaLabel: 'Sent along', role: 'region' });
  const details = h('details', {}, h('summary', {}, 'What is sent along'), sentAlong);
  const problem = h('p', { className: 'bad', role: 'alert' });
  const send = h('button', { className: 'main' }, 'Send');
  const form = h(
    'form',
    {},
    h('label', {}, 'Title', title),
    h('label', {}, 'What happened?', description),
    h('label', {}, 'Severity', severity),
    h('label', {}, 'Requirements it is about, if you know their ids', stories),
    h('div', { className: 'row' }, button('Choose the element', choose), unpick, picked),
    h(
      'div',
      { className: 'row' },
      canCapture() ? button('Take a screenshot', take) : undefined,
      button('Choose a picture', () => file.click()),
      h('p', {}, 'or paste one'),
      remove,
      file,
    ),
    shown,
    details,
    problem,
    h(
      'div',
      { className: 'row end' },
      button('Cancel', () => dialog.close()),
      send,
    ),
  );
  const status = h('p', { role: 'status' });
  const close = button('Close', () => dialog.close());
  const heading = h('h2', { id: 'title' }, `Report a problem${project && ` · ${project}`}`);
  const dialog = h('dialog', {}, heading, form, status, close);
  dialog.setAttribute('aria-labelledby', heading.id);
  const frame = h('div', { className: 'frame', hidden: true });
  const hint = h('div', { className: 'hint', role: 'status' });
  const open = button('Report a problem', show);
  open.className = `main open ${POSITION.test(position) ? position.replace('-', ' ') : 'bottom right'}`;
  hint.hidden = true;
  root.append(open, dialog, frame, hint);
  document.body.append(host);
  setElement(undefined);
  setPicture(undefined);

  details.addEventListener('toggle', () => {
    sentAlong.textContent = JSON.stringify(contextOf(recorded, element), null, 1);
  });
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (chosen) void usePicture(read(chosen));
    file.value = '';
  });
  dialog.addEventListener('paste', (event) => {
    const image = [...(event.clipboardData?.files ?? [])].find(({ type }) => /^image\//.test(type));
    if (image) void usePicture(read(image));
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  // Keys typed here are no shortcuts of the page.
  for (const type of ['keydown', 'keyup', 'keypress'] as const)
    dialog.addEventListener(type, (event) => event.stopPropagation());

  function show(): void {
    const waiting = sender.waiting();
    form.hidden = false;
    close.hidden = true;
    details.open = false;
    status.textContent = waiting > 0 ? `Waiting to be sent: ${waiting}` : '';
    problem.textContent = '';
    dialog.showModal();
    title.focus();
  }

  function setElement(one: PickedElement | undefined): void {
    element = one;
    picked.textContent = one?.selector ?? '';
    unpick.hidden = !one;
  }

  function setPicture(one: HTMLCanvasElement | undefined): void {
    picture = one;
    shown.replaceChildren(...(one ? [one] : []));
    if (one) Object.assign(one, { role: 'img', ariaLabel: 'The screenshot' });
    remove.hidden = !one;
  }

  async function usePicture(reading: Promise<HTMLCanvasElement>): Promise<void> {
    problem.textContent = '';
    try {
      setPicture(await reading);
    } catch (error) {
      problem.textContent = `There is no picture: ${error instanceof Error ? error.message : error}`;
    }
  }

  async function choose(): Promise<void> {
    dialog.close();
    open.hidden = true;
    hint.hidden = false;
    hint.textContent = 'Click an element, or move the focus to it and press Enter. Escape leaves.';
    const chosen = await pickElement(host, frame);
    hint.hidden = true;
    open.hidden = false;
    if (chosen) setElement(describeElement(chosen));
    show();
  }

  async function take(): Promise<void> {
    // Asked for while the click counts as leave; the dialog is gone before the picture is taken.
    const capturing = capture();
    host.hidden = true;
    dialog.close();
    await usePicture(capturing);
    host.hidden = false;
    const trouble = problem.textContent;
    show();
    problem.textContent = trouble;
  }

  async function submit(): Promise<void> {
    // Not disabled meanwhile, which would take the focus from the button.
    if (sending) return;
    sending = true;
    problem.textContent = '';
    status.textContent = 'Sending …';
    const ids = stories.value.trim();
    const texts = [description.value.trim(), ids && `Requirements: ${ids}`].filter(Boolean);
    const context = contextOf(recorded, element);
    const issue = {
      title: title.value.trim(),
      ...(texts.length > 0 ? { description: texts.join('\n\n') } : {}),
      severity: severity.value,
      url: context.page.url,
      route: mask(location.pathname).slice(0, 2048),
      context,
      occurredAt: new Date().toISOString(),
    };
    const image = picture && (await encode(picture));
    const outcome = await sender.send(issue, image);
    sending = false;
    status.textContent = '';
    if (outcome.state === 'refused') {
      problem.textContent = `It was not sent: ${outcome.detail}`;
      return;
    }
    form.reset();
    setElement(undefined);
    setPicture(undefined);
    form.hidden = true;
    close.hidden = false;
    status.textContent = textOf(outcome);
    close.focus();
  }

  function button(text: string, onclick: () => void): HTMLButtonElement {
    return h('button', { type: 'button', onclick }, text);
  }
}

function textOf(outcome: Exclude<Outcome, { state: 'refused' }>): string {
  if (outcome.state === 'waiting') {
    const left = outcome.withoutImage ? ', without the screenshot, which is too large to wait' : '';
    return `The service does not answer. The report waits on this device until it does${left}.`;
  }
  const { id, imageRefused } = outcome;
  const left = imageRefused === undefined ? '' : ` Its screenshot was refused: ${imageRefused}`;
  return `Thank you. The report is filed as ${id}.${left}`;
}

/** What goes with a report beside what somebody wrote, in the shape of an issue's `context`. */
function contextOf(recorded: Recorded, element: PickedElement | undefined) {
  const { requestId } =
    recorded.network.findLast((one) => one.requestId && (one.status ?? 0) >= 400) ?? {};
  return {
    page: { url: pageAddress(location.href), title: clean(document.title, 300) },
    viewport: { width: innerWidth, height: innerHeight, pixelRatio: devicePixelRatio },
    userAgent: navigator.userAgent.slice(0, 2048),
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(element ? { element } : {}),
    ...recorded,
    ...(requestId ? { requestId } : {}),
  };
}

type Child = Node | string | undefined;

/** Makes an element without any text that would be read as HTML. */
function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}
