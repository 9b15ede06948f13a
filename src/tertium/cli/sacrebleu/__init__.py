"""`tertium sacrebleu`: sacreBLEU's flags and output, counted by tertium."""
