/** JSON as our pages and commands write it: {@link dev.holdfast.dashboard.json.Json}. */
@NullMarked
package dev.holdfast.dashboard.json;

import org.jspecify.annotations.NullMarked;
