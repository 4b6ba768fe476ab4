/** Ratings go from 0 to this. The window of a rating is never wider. */
export const highestRating = 10_000;
