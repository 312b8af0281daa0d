package cache

import (
	"errors"
	"fmt"
)

// keyForLog is the key of what a queue has handed out, as far as it has one.
func keyForLog(obj any) string {
	if key, err := queueKey(MetaNamespaceKeyFunc, obj); err == nil && key != "" {
		return key
	}
	if deltas, ok := obj.(Deltas); ok && len(deltas) > 0 {
		return string(deltas[0].Type)
	}
	return fmt.Sprintf("(a %T without a key)", obj)
}

// keysForLog is the key of the first change that has failed, and how many have.
func keysForLog(deltas []Delta, err error) string {
	made := map[int]bool{}
	if told := (*TransactionError)(nil); errors.As(err, &told) && told != nil {
		for _, i := range told.SuccessfulIndices {
			made[i] = true
		}
	}
	first, failed := "(none of the changes)", 0
	for i, d := range deltas {
		if made[i] {
			continue
		}
		if failed++; failed == 1 {
			first = keyForLog(Deltas{d})
		}
	}
	if failed > 1 {
		return fmt.Sprintf("%s and %d more", first, failed-1)
	}
	return first
}
