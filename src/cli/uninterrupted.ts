/**
 * Writes files to their end: half of a file, or some of those that belong together, would be worse than all or none. A signal that comes
 * meanwhile comes too late; nobody waits for long.
 */
export function uninterrupted(write: () => void): void {
  const goOn = (): void => undefined
  process.on('SIGINT', goOn)
  process.on('SIGTERM', goOn)
  try {
    write()
  } finally {
    process.off('SIGINT', goOn)
    process.off('SIGTERM', goOn)
  }
}
