/** Version of the package, which is told to the service. */
export const VERSION = '0.2.0'
