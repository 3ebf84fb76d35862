import { inflateRawSync } from 'node:zlib'

/** The content of one file of a zip archive; undefined when there is none of that name. Stored and deflated entries only. */
export function readZipEntry(archive: Buffer, name: string): Buffer | undefined {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0) throw new Error('not a zip archive')
  const count = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  for (let index = 0; index < count; index += 1) {
    const method = archive.readUInt16LE(at + 10)
    const size = archive.readUInt32LE(at + 20)
    const nameLength = archive.readUInt16LE(at + 28)
    const header = archive.readUInt32LE(at + 42)
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      // The local header has lengths of its own for name and extra field.
      const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
      const content = archive.subarray(start, start + size)
      return method === 0 ? content : inflateRawSync(content)
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return undefined
}
