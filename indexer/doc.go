// Package indexer holds the thread-safe store of the house.
package indexer
