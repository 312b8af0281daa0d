// Package versions has the versions that this project's modules require, and finds those
// that go mod tidy will raise in the user's module.
package versions
