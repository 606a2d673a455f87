/**
 * What is there and what is seen of it. {@code Stage} has three clients, the account, {@code Servers} and {@code Links}, and does to them
 * what a visitor or a story asks for. {@code Board} is what the servers and clients have told: {@code ServerWatch}
 * and {@code AccountWatch} ask the servers, the clients report by themselves.
 */
@NullMarked
package dev.holdfast.lab.stage;

import org.jspecify.annotations.NullMarked;
