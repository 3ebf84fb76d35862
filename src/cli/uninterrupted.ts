/** The signals by which people and supervisors end a command. SIGHUP comes when the terminal is closed or the connection to it breaks. */
export const endingSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/**
 * Writes files to their end: half of a file, or some of those that belong together, would be worse than all or none. A signal that comes
 * meanwhile comes too late; nobody waits for long.
 */
export function uninterrupted(write: () => void): void {
  const goOn = (): void => undefined
  for (const signal of endingSignals) process.on(signal, goOn)
  try {
    write()
  } finally {
    for (const signal of endingSignals) process.off(signal, goOn)
  }
}
