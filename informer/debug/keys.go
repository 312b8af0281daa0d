package debug

import (
	"iter"
	"slices"
	"strings"
)

// pageOfKeys returns, in order, the first limit keys after one that have the
// prefix, and whether there are more. It looks at every key and holds at most
// twice the limit of them, however large the store is.
func pageOfKeys(keys iter.Seq[string], prefix, after string, limit int) (page []string, more bool) {
	const some = 1 // one more than asked for tells whether there are more
	keep := limit + some
	last := "" // if not "", keep keys up to this one are known
	for key := range keys {
		if !strings.HasPrefix(key, prefix) || after != "" && key <= after || last != "" && key > last {
			continue
		}
		page = append(page, key)
		if len(page) == 2*keep {
			slices.Sort(page)
			page = page[:keep]
			last = page[keep-1]
		}
	}
	slices.Sort(page)
	if len(page) > limit {
		return page[:limit], true
	}
	return page, false
}
