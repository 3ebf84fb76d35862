/** What a controller needs of a logger; pino fits. The message is a constant, data goes in fields. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: Record<string, unknown>): Logger
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
}

/** Made when the first line is written: most reconciliations write none. */
export class LazyLogger implements Logger {
  readonly #make: () => Logger
  #made: Logger | undefined

  constructor(make: () => Logger) {
    this.#make = make
  }

  debug(fields: object, message: string): void {
    this.#logger.debug(fields, message)
  }

  info(fields: object, message: string): void {
    this.#logger.info(fields, message)
  }

  warn(fields: object, message: string): void {
    this.#logger.warn(fields, message)
  }

  error(fields: object, message: string): void {
    this.#logger.error(fields, message)
  }

  child(fields: Record<string, unknown>): Logger {
    return new LazyLogger(() => this.#logger.child(fields))
  }

  get #logger(): Logger {
    this.#made ??= this.#make()
    return this.#made
  }
}
