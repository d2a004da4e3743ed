// Tells systemd what the service is at (sd_notify(3)): a datagram to the socket that it names.
// Neither Bun nor Deno sends datagrams to paths, so on Bun the C library does it.

const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const C_LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

/** Reports a state such as `READY=1`; false where no service manager listens or can be reached. */
export async function notifyServiceManager(state: string): Promise<boolean> {
  const path = process.env.NOTIFY_SOCKET;
  if (!path || 'Deno' in globalThis || process.platform !== 'linux') return false;
  const { dlopen } = await import('bun:ffi');
  for (const library of C_LIBRARIES) {
    try {
      const c = dlopen(library, {
        socket: { args: ['int', 'int', 'int'], returns: 'int' },
        sendto: { args: ['int', 'ptr', 'u64', 'int', 'ptr', 'u32'], returns: 'i64' },
        close: { args: ['int'], returns: 'int' },
      });
      const fd = c.symbols.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
      const message = Buffer.from(state);
      const address = socketAddress(path);
      const sent = c.symbols.sendto(
        fd,
        message,
        message.byteLength,
        0,
        address,
        address.byteLength,
      );
      c.symbols.close(fd);
      return Number(sent) === message.byteLength;
    } catch {
      // Not the C library of this system.
    }
  }
  return false;
}

function socketAddress(path: string): Buffer {
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`);
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, name]);
}
