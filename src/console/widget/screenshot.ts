// Pictures for a report: each is drawn anew, so that nothing is left of what a camera writes into one.
const MAX_EDGE = 2560;

export function canCapture(): boolean {
  return 'getDisplayMedia' in (navigator.mediaDevices ?? {});
}

/** A picture of what the browser's own question lets somebody choose. @throws where that is nothing */
export async function capture(): Promise<HTMLCanvasElement> {
  const options = { video: true, preferCurrentTab: true };
  const stream = await navigator.mediaDevices.getDisplayMedia(options);
  try {
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    return draw(video, video.videoWidth, video.videoHeight);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

/** @throws where the file is no picture that the browser reads */
export async function read(file: Blob): Promise<HTMLCanvasElement> {
  const bitmap = await createImageBitmap(file);
  return draw(bitmap, bitmap.width, bitmap.height);
}

function draw(image: CanvasImageSource, width: number, height: number): HTMLCanvasElement {
  const scale = Math.min(1, MAX_EDGE / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** WebP, or PNG where the browser writes no WebP. */
export function encode(canvas: HTMLCanvasElement): Promise<Blob | undefined> {
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/webp', 0.9),
  );
}
