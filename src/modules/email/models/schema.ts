/** Marker for the types of this service's schema. */
export class EmailSchema {}
