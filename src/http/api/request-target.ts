// The path of a request, cut out of its address. The address need not be one that `URL` takes: its
// host is what the client says.

/** The path of a request, still encoded, without query and fragment. */
export function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}
