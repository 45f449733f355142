/** A text without the case of ASCII letters, in which addresses are compared. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
