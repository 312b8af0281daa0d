// want: a legal history is accepted: Observe of the legal call update shop/b@9 shop/b@9
package simulation

import (
	"fmt"
	"strconv"
)

// advance rejects a version that it has seen, which a new list can repeat.
func (c *checker) advance(key, version string) error {
	newest, _ := strconv.Atoi(c.newest[key])
	if number, err := strconv.Atoi(version); err != nil || number <= newest {
		return fmt.Errorf("version %s comes after version %d", version, newest)
	}
	c.newest[key] = version
	return nil
}
