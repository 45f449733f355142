/** Marks the types of this service's schema. */
export class AdminSchema {}
