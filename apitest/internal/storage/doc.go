// Package storage stores objects as text under one version counter, like etcd.
//
// The input is a draft of package objects for a [Key]. The output is a [Record], a
// [Snapshot] of a table at one version, or the changes that a [Follower] reads.
// Tables are separate resources; all tables of a [Store] share the counter.
//
//   - Every version is assigned once. A record never changes, and its text contains
//     its version.
//   - A write fails with [ErrConflict] unless its caller has seen the current state.
//   - A snapshot is consistent, and reading it holds no lock.
//   - A follower returns each later change once and in order, or an error if a
//     change was removed before it was read.
//   - [Store.Rewind] restores a former state, and ends all followers.
//
// The package does not depend on HTTP, kinds or rules of the API.
package storage
