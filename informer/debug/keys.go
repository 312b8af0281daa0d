package debug

import (
	"iter"
	"slices"
	"strings"
)

// pageOfKeys returns the first limit keys after the given one that have the prefix and
// contain the search text, sorted, and whether there are more. It reads all keys, and holds at most twice the
// limit of them.
func pageOfKeys(keys iter.Seq[string], prefix, search, after string, limit int) (page []string, more bool) {
	const extra = 1 // shows whether there are more keys
	keep := limit + extra
	last := "" // if not "", greater keys are not on this page
	for key := range keys {
		if !strings.HasPrefix(key, prefix) || !strings.Contains(key, search) || after != "" && key <= after || last != "" && key > last {
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
