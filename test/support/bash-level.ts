/**
 * For the environment of a bash that is given its input through a socket, as Node gives it. One that takes itself for the first takes that
 * for a login over the network, and reads the machine's own settings.
 */
export const notTheFirstBash = { SHLVL: '1' } as const
