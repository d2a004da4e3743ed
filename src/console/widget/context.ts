// What goes with a report beside what somebody wrote, in the shape of an issue's `context`.
import type { PickedElement } from './element.ts';
import { clean, pageAddress } from './mask.ts';
import type { Recorded } from './record.ts';

export function contextOf(recorded: Recorded, element: PickedElement | undefined) {
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
